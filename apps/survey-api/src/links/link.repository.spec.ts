import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { CampaignStatus } from '@cxp/records';
import { statementsThatWait } from '@cxp/testing';
import { campaignRecord } from '../../test/records';
import { openSurveyDatabase } from '../../test/survey-database';
import { CampaignRepository } from '../campaigns/campaign.repository';
import { MetadataFieldRepository } from '../metadata-fields/metadata-field.repository';
import { LinkRepository, type SurveyLink } from './link.repository';
import type { MetadataAssociation, MetadataValue } from './link.dto';
import { OrganizationSettingsRepository } from '../survey-pages/organization-settings';

const FIELDS = [1, 2, 3, 7].map((id) => ({ id, name: `Field ${id}`, variable: `field_${id}` }));

let dataSource: DataSource;
let close: () => Promise<void>;
let repository: LinkRepository;
let organization: string;
let campaign: string;

beforeAll(async () => {
  ({ dataSource, close } = await openSurveyDatabase());
  repository = new LinkRepository(dataSource.manager);
});

afterAll(() => close());

beforeEach(async () => {
  organization = randomUUID();
  campaign = await campaignOf(organization);
});

async function campaignOf(
  owner: string,
  status: CampaignStatus = 'active',
  id: string = randomUUID(),
): Promise<string> {
  await new CampaignRepository(dataSource.manager).storeAll(owner, [campaignRecord({ id, status })]);
  await new MetadataFieldRepository(dataSource.manager).storeAll(owner, FIELDS);
  return id;
}

const limitTo = (links: number | null) =>
  new OrganizationSettingsRepository(dataSource.manager).store(organization, {
    maxLinks: links,
    brand: null,
  });

const mappingOf = (value: MetadataValue): MetadataAssociation[] => [{ metadata_id: 1, value }];

/** @returns undefined for an unknown campaign */
function ask(
  mapping: MetadataAssociation[],
  { name = 'Store', to = campaign, of = organization } = {},
): Promise<{ link: SurveyLink | undefined; limit: number } | undefined> {
  return repository.findOrCreate(of, to, { name, mapping }, 50);
}

async function countLinks(): Promise<number> {
  const [{ links }] = await dataSource.query<[{ links: number }]>(
    'SELECT count(*)::int AS links FROM survey.link WHERE organization_id = $1',
    [organization],
  );
  return links;
}

/** Holds back requests for new links of the campaign until all of them have begun. */
async function atOnce(
  requests: number,
  ask: (request: number) => Promise<{ link: SurveyLink | undefined } | undefined>,
): Promise<(SurveyLink | undefined)[]> {
  const asked = await dataSource.transaction(async (manager) => {
    await manager.query('LOCK TABLE survey.link IN EXCLUSIVE MODE');
    const asked = Array.from({ length: requests }, (_, request) => ask(request));
    // One waits for the table, the others for the lock that it has.
    while ((await statementsThatWait(dataSource)).length < requests) await setImmediate();
    return asked;
  });
  return (await Promise.all(asked)).map((outcome) => outcome!.link);
}

describe('LinkRepository', () => {
  it('makes a link', async () => {
    const mapping: MetadataAssociation[] = [
      { metadata_id: 7, value: ['Hà Nội', 1.5, null, { b: [true], a: {} }] },
      { metadata_id: 3, value: '😀'.repeat(2000) },
    ];
    const outcome = await ask(mapping, { name: 'Cửa hàng 1' });
    expect(outcome!.link).toEqual({
      id: expect.any(Number),
      publicId: expect.stringMatching(/^[\w-]{22}$/),
      name: 'Cửa hàng 1',
      mapping,
      createdAt: expect.any(Date),
      updatedAt: expect.any(Date),
    });
    expect(outcome!.limit).toBe(50);
  });

  it('returns the existing link to a repeat, which differs in name and in the order of entries at most', async () => {
    const mapping = [...mappingOf('a'), { metadata_id: 2, value: null }];
    const first = await ask(mapping, { name: 'First' });
    expect(await ask([...mapping].reverse(), { name: 'Second' })).toEqual(first);
    expect(await countLinks()).toBe(1);
  });

  it('makes another link for another mapping, campaign or organization', async () => {
    const elsewhere = randomUUID();
    await campaignOf(elsewhere, 'active', campaign);
    const outcomes = [
      await ask([]),
      await ask(mappingOf(1)),
      await ask(mappingOf('1')),
      await ask([], { to: await campaignOf(organization) }),
      await ask([], { of: elsewhere }),
    ];
    expect(new Set(outcomes.map((outcome) => outcome?.link?.publicId)).size).toBe(5);
  });

  it.each<CampaignStatus>(['draft', 'active', 'inactive'])(
    'makes links for a campaign that is %s',
    async (status) => {
      expect(await ask([], { to: await campaignOf(organization, status) })).toMatchObject({ link: {} });
    },
  );

  it('has no campaign that is unknown, deleted, awaited or of another organization, existing links or not', async () => {
    const awaited = randomUUID();
    await dataSource.query(
      `INSERT INTO survey.campaign (organization_id, id, status) VALUES ($1, $2, 'awaited')`,
      [organization, awaited],
    );
    await ask([]);
    await campaignOf(organization, 'deleted', campaign);
    for (const to of [randomUUID(), campaign, awaited, await campaignOf('another organization')]) {
      expect(await ask([], { to })).toBeUndefined();
    }
    expect(await countLinks()).toBe(1);
  });

  it('stops at the limit of the organization, and still returns existing links there', async () => {
    await limitTo(2);
    const first = await ask(mappingOf(1));
    await ask(mappingOf(2));
    expect(await ask(mappingOf(3))).toEqual({ link: undefined, limit: 2 });
    expect(await ask(mappingOf(1))).toEqual(first);
    expect(await ask(mappingOf(3), { to: await campaignOf(organization) })).toMatchObject({ link: {} });
    await limitTo(3);
    expect(await ask(mappingOf(3))).toMatchObject({ link: {} });
  });

  it('makes no link when the limit is 0, and falls back to the default without a limit', async () => {
    await limitTo(0);
    expect(await ask([])).toEqual({ link: undefined, limit: 0 });
    await limitTo(null);
    expect(await ask([])).toMatchObject({ link: {}, limit: 50 });
  });

  it.each([
    ['', null],
    [', also for the last place', 2],
  ])('makes one link for concurrent identical requests%s', async (_, limit) => {
    await limitTo(limit);
    await ask(mappingOf('first'));
    const links = await atOnce(9, () => ask(mappingOf('same')));
    expect(links[0]).toBeDefined();
    expect(new Set(links.map((link) => link?.id)).size).toBe(1);
    expect(await countLinks()).toBe(2);
  });

  it('never passes the limit under concurrent different requests', async () => {
    await limitTo(5);
    await ask(mappingOf('first'));
    const links = await atOnce(9, (store) => ask(mappingOf(store)));
    expect(links.filter((link) => link)).toHaveLength(4);
    expect(await countLinks()).toBe(5);
  });

  it.each<[string, (request: number) => MetadataValue]>([
    ['identical', () => 'same'],
    ['different', (request) => request],
  ])('has one campaign for all spellings of its id, for concurrent %s requests', async (_, valueOf) => {
    await limitTo(1);
    const spellings = [campaign, campaign.toUpperCase()];
    await atOnce(2, (request) => ask(mappingOf(valueOf(request)), { to: spellings[request] }));
    expect(await countLinks()).toBe(1);
  });
});
