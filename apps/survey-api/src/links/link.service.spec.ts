import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { CampaignStatus } from '@cxp/records';
import { statementsThatWait } from '@cxp/testing';
import { campaignRecord } from '../../test/records';
import { openSurveyDatabase } from '../../test/survey-database';
import { CampaignRepository } from '../campaigns/campaign.repository';
import { MetadataFieldRepository } from '../metadata-fields/metadata-field.repository';
import { LinkRepository } from './link.repository';
import type { LinkResponse, MetadataAssociationRequest, MetadataValue } from './link.dto';
import { LinkService } from './link.service';
import type { SurveySettings } from '../settings';
import { ProblemError } from '@cxp/error-envelopes';
import { OrganizationSettingsRepository } from '../survey-pages/organization-settings';

const FIELDS = [1, 2, 3, 7].map((id) => ({ id, name: `Field ${id}`, variable: `field_${id}` }));

let dataSource: DataSource;
let close: () => Promise<void>;
let service: LinkService;
let organization: string;
let campaign: string;

beforeAll(async () => {
  ({ dataSource, close } = await openSurveyDatabase());
  const settings = { SURVEY_LINKS_PER_CAMPAIGN: 50 } as SurveySettings;
  service = new LinkService(new LinkRepository(dataSource.manager), settings);
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
  new OrganizationSettingsRepository(dataSource.manager).store(organization, links, null);

const mappingOf = (value: MetadataValue): MetadataAssociationRequest[] => [{ metadata_id: 1, value }];

/** @returns undefined if the campaign has its maximum number of links */
async function ask(
  metadata_mapping: MetadataAssociationRequest[],
  { to = campaign, of = organization } = {},
): Promise<LinkResponse | undefined> {
  try {
    return (await service.findOrCreate(of, to, { name: 'Store', metadata_mapping })).link;
  } catch (error) {
    if (error instanceof ProblemError && error.problem.code === 'threshold_exceeded') return undefined;
    throw error;
  }
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
  ask: (request: number) => Promise<LinkResponse | undefined>,
): Promise<(LinkResponse | undefined)[]> {
  const asked = await dataSource.transaction(async (manager) => {
    await manager.query('LOCK TABLE survey.link IN EXCLUSIVE MODE');
    const asked = Array.from({ length: requests }, (_, request) => ask(request));
    // One waits for the table, the others for the lock that it has.
    while ((await statementsThatWait(dataSource)).length < requests) await setImmediate();
    return asked;
  });
  return Promise.all(asked);
}

describe('LinkService', () => {
  it('makes another link for an organization that has a campaign of the same id', async () => {
    const elsewhere = randomUUID();
    await campaignOf(elsewhere, 'active', campaign);
    expect((await ask([]))!.public_id).not.toBe((await ask([], { of: elsewhere }))!.public_id);
  });

  it.each<CampaignStatus>(['draft', 'active', 'inactive'])(
    'makes links for a campaign that is %s',
    async (status) => {
      expect(await ask([], { to: await campaignOf(organization, status) })).toBeDefined();
    },
  );

  it('has no campaign that only responses name', async () => {
    await dataSource.query(`UPDATE survey.campaign SET status = 'awaited' WHERE id = $1`, [campaign]);
    await expect(ask([])).rejects.toMatchObject({ problem: { code: 'resource_not_found' } });
    expect(await countLinks()).toBe(0);
  });

  it('makes no link when the limit is 0, and falls back to the default without a limit', async () => {
    await limitTo(0);
    expect(await ask([])).toBeUndefined();
    await limitTo(null);
    expect(await ask([])).toBeDefined();
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
