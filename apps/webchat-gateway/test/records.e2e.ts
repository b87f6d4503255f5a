import type { Caller } from '@cxp/service-kit/testing';
import { importRecords, service, useWebchat } from './webchat-service';

let caller: Caller;

useWebchat();
beforeEach(async () => {
  caller = await service.caller();
});

function source(data: object) {
  return { type: 'installed_source', data };
}

async function stored(): Promise<unknown[]> {
  return service.dataSource.query(
    `SELECT id::int, name, channel_type, active FROM webchat.installed_source WHERE organization_id = $1 ORDER BY id`,
    [caller.organizationId],
  );
}

describe('installed_source records', () => {
  it('have channelType chat and are active unless they say otherwise', async () => {
    const records = [
      source({ id: 1, name: 'Website' }),
      source({ id: 2, name: 'App', channelType: 'zalo', active: false }),
    ];
    expect((await importRecords(service, caller, ...records).expect(200)).body).toEqual({ accepted: 2 });
    expect(await stored()).toEqual([
      { id: 1, name: 'Website', channel_type: 'chat', active: true },
      { id: 2, name: 'App', channel_type: 'zalo', active: false },
    ]);
  });

  it('replace the stored one whole; of several in one request the last counts', async () => {
    await importRecords(
      service,
      caller,
      source({ id: 1, name: 'a', channelType: 'zalo', active: false }),
    ).expect(200);
    const records = [source({ id: 1, name: 'b', active: false }), source({ id: 1, name: 'c' })];
    expect((await importRecords(service, caller, ...records).expect(200)).body).toEqual({ accepted: 2 });
    expect(await stored()).toEqual([{ id: 1, name: 'c', channel_type: 'chat', active: true }]);
  });

  it('belong to their organization: ids are not unique across organizations', async () => {
    await importRecords(service, await service.caller(), source({ id: 1, name: 'other' })).expect(200);
    await importRecords(service, caller, source({ id: 1, name: 'mine' })).expect(200);
    expect(await stored()).toMatchObject([{ name: 'mine' }]);
  });

  it.each<[object, (string | number)[][]]>([
    [{}, [['id'], ['name']]],
    [{ id: 2 ** 60, name: 'x' }, [['id']]],
    [{ id: 1.5, name: null }, [['id'], ['name']]],
    [{ id: 1, name: 'x', channelType: 5, active: 'yes' }, [['channelType'], ['active']]],
  ])('%j is refused for %j, and nothing is stored', async (data, fields) => {
    const { body } = await importRecords(
      service,
      caller,
      source({ id: 9, name: 'sound' }),
      source(data),
    ).expect(422);
    const locs = fields.map((field) => ['body', 2, 'data', ...field]);
    expect(body.detail.map(({ loc }: { loc: unknown }) => loc)).toEqual(locs);
    expect(await stored()).toEqual([]);
  });

  it('are the only ones of this area', async () => {
    const { body } = await importRecords(service, caller, { type: 'ticket', data: {} }).expect(422);
    expect(body.detail).toEqual([
      { loc: ['body', 1, 'type'], msg: 'record type must be one of: installed_source', type: 'enum' },
    ]);
  });
});
