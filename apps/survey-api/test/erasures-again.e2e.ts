import { randomUUID } from 'node:crypto';
import { eventually } from '@cxp/service-kit/testing';
import request from 'supertest';
import { findLinks } from '../src/links/erased-links';
import { createLink } from './survey-service';
import {
  ERASURES,
  EMAIL,
  PHONE,
  MARKER,
  service,
  caller,
  campaign,
  useErasures,
  response,
  store,
  erase,
  subject,
  erased,
  listed,
  storedLinks,
  everything,
  known,
} from './erasures';

useErasures();

describe('an erasure in area C that is long, or applied again', () => {
  it('erases more than a step does, and answers its certificate again', async () => {
    const many = Array.from({ length: 1_100 }, () => response({ user_email: EMAIL }));
    await store(...many, response());
    const certificate = await erased();
    expect(certificate.found).toEqual({ responses: 1_100, links: 0, metadataValues: 0 });
    const { body } = await request(service.url)
      .get(`${ERASURES}/${certificate.id}`)
      .set(caller.headers)
      .expect(200);
    expect(body).toEqual(certificate);
    expect(JSON.stringify(body)).not.toMatch(/marker/i);
    expect(await listed()).toHaveLength(1);
  });

  it('applies a certificate again to a database that was restored', async () => {
    const own = Object.values(known()).slice(0, 3);
    const other = response({ user_phone: '1', metadata_mappings: { cashier: EMAIL, store: 'x' } });
    await store(...own, other);
    const metadata_mapping = [{ metadata_id: 1, value: [EMAIL, 'other@example.com'] }];
    const { body: link } = await createLink(service, caller, campaign, {
      name: MARKER,
      metadata_mapping,
    }).expect(200);
    const certificate = await erased();
    expect(certificate.keys).toEqual({
      metadata_value: [`link:${link.id}/1`, `response:${other.identifier}/cashier`],
      survey_response: own.map(({ identifier }) => identifier).sort(),
    });
    // As a backup would bring it back.
    for (const table of ['response', 'bucket', 'erased_key', 'erasure', 'change_removal']) {
      await service.dataSource.query(`DELETE FROM survey.${table} WHERE organization_id = $1`, [
        caller.organizationId,
      ]);
    }
    await store(
      ...own.map((record) => ({ ...record, user_phone: null, user_email: null, user_name: MARKER })),
      { ...other, metadata_mappings: { cashier: 'somebody else', store: 'x' } },
    );
    await service.dataSource.query(
      'UPDATE survey.link SET name = $2, metadata_mapping = $3 WHERE organization_id = $1',
      [caller.organizationId, MARKER, JSON.stringify(metadata_mapping)],
    );
    const { body } = await request(service.url)
      .post(`${ERASURES}/again`)
      .set(caller.headers)
      .send(certificate)
      .expect(200);
    expect(body).toEqual({ ...certificate, erasedAt: expect.any(String), lastChange: expect.any(Number) });
    expect(await listed()).toMatchObject([{ metadata_mappings: { cashier: null, store: 'x' } }]);
    expect(await storedLinks()).toEqual([{ name: '', metadata_mapping: [{ metadata_id: 1, value: null }] }]);
    expect(await everything()).not.toMatch(/marker/i);
    await request(service.url).get(`/s/${link.public_id}`).expect(200);
  });

  it('leaves fields alone that are erased already when a certificate is applied to a database that was not restored', async () => {
    const { body: link } = await createLink(service, caller, campaign, {
      name: 'List',
      metadata_mapping: [{ metadata_id: 1, value: [EMAIL, PHONE, 'other@example.com'] }],
    }).expect(200);
    const certificate = await erased({ emails: [EMAIL] });
    const strangers = [{ metadata_id: 1, value: 'other@example.com' }];
    await service.dataSource.query(
      'UPDATE survey.link SET metadata_mapping = $2 WHERE organization_id = $1',
      [caller.organizationId, JSON.stringify(strangers)],
    );
    for (const id of [certificate.id, randomUUID()]) {
      const again = { ...certificate, id };
      await request(service.url).post(`${ERASURES}/again`).set(caller.headers).send(again).expect(200);
    }
    expect(await storedLinks()).toEqual([{ name: '', metadata_mapping: strangers }]);
    expect(certificate.keys).toEqual({ metadata_value: [`link:${link.id}/1`] });
  });

  it('leaves a new link alone that has the id of an erased one', async () => {
    const metadata_mapping = [{ metadata_id: 1, value: EMAIL }];
    const link = (name: string) =>
      createLink(service, caller, campaign, { name, metadata_mapping }).expect(200);
    await link('Old');
    const certificate = await erased();
    const { body: renewed } = await link('New');
    // A restore sets the numbers of links back.
    const again = { ...certificate, id: randomUUID(), keys: { metadata_value: [`link:${renewed.id}/1`] } };
    const { body } = await request(service.url)
      .post(`${ERASURES}/again`)
      .set(caller.headers)
      .send(again)
      .expect(200);
    expect(body).toMatchObject({ erasedAt: expect.any(String), found: { links: 1 } });
    expect((await storedLinks()).at(-1)).toEqual({ name: 'New', metadata_mapping });
  });

  it('erases many fields in steps, in an erasure and in one that is applied again', async () => {
    await service.dataSource.query(
      `INSERT INTO survey.link (organization_id, public_id, campaign_id, mapping_key, name, metadata_mapping, person_keys)
       SELECT $1, gen_random_uuid()::text, $2, uuid_send(gen_random_uuid()), 'x', $3, $4 FROM generate_series(1, 130)`,
      [
        caller.organizationId,
        campaign,
        JSON.stringify([{ metadata_id: 1, value: EMAIL }]),
        [`e${EMAIL.toLowerCase()}`],
      ],
    );
    await store(
      ...Array.from({ length: 130 }, () =>
        response({ user_phone: '1', metadata_mappings: { a: EMAIL, b: [PHONE] } }),
      ),
    );
    const dryRun = await erase({ subject, dryRun: true }).expect(200);
    const certificate = await erased();
    expect(certificate.found).toEqual({ responses: 0, links: 130, metadataValues: 390 });
    expect(dryRun.body.found).toEqual(certificate.found);
    const tables = ['erased_key', 'erasure'];
    for (const table of tables)
      await service.dataSource.query(`DELETE FROM survey.${table} WHERE organization_id = $1`, [
        caller.organizationId,
      ]);
    await service.dataSource.query(
      'UPDATE survey.link SET metadata_mapping = $2 WHERE organization_id = $1',
      [caller.organizationId, JSON.stringify([{ metadata_id: 1, value: EMAIL }])],
    );
    await request(service.url).post(`${ERASURES}/again`).set(caller.headers).send(certificate).expect(200);
    await eventually(async () => {
      const { body } = await request(service.url).get(`${ERASURES}/${certificate.id}`).set(caller.headers);
      return body.erasedAt !== null;
    });
    expect(await everything()).not.toMatch(/marker/i);
  });

  it('finds no link that is newer than the request', async () => {
    const metadata_mapping = [{ metadata_id: 1, value: EMAIL }];
    const { body: link } = await createLink(service, caller, campaign, { name: 'New', metadata_mapping });
    const linksSince = async (requestedAt: Date) => {
      const found: object[] = [];
      const subject = { userIds: [], phones: [], emails: [EMAIL.toLowerCase()] };
      const { manager } = service.dataSource;
      for await (const some of findLinks(manager, caller.organizationId, subject, requestedAt))
        found.push(...some);
      return found;
    };
    const found = [{ type: 'metadata_value', id: `link:${link.id}/1` }];
    expect(await linksSince(new Date(link.created))).toEqual(found);
    expect(await linksSince(new Date(Date.parse(link.created) - 10))).toEqual([]);
  });

  it('reaches no other organization', async () => {
    const own = Object.values(known());
    await store(...own);
    const other = await service.caller();
    const id = randomUUID();
    const { body } = await erase({ id, subject }, other).expect(200);
    expect(body.found).toEqual({ responses: 0, links: 0, metadataValues: 0 });
    expect(await listed()).toHaveLength(4);
    await request(service.url).get(`${ERASURES}/${id}`).set(caller.headers).expect(404);
  });
});
