import { Injectable } from '@nestjs/common';
import { EntityManager } from 'typeorm';
import { Statement } from '@cxp/storage';

export const ACTIVE_SOURCE = new Statement(
  {},
  'SELECT 1 FROM webchat.installed_source WHERE organization_id = $1 AND id = $2 AND active',
  'prepared',
);

@Injectable()
export class InstalledSourceRepository {
  constructor(private readonly manager: EntityManager) {}

  async isActive(organizationId: string, id: number): Promise<boolean> {
    // Beyond that an integer is no longer the one that was sent.
    if (!Number.isSafeInteger(id)) return false;
    return (await ACTIVE_SOURCE.count(this.manager, [organizationId, id])) === 1;
  }
}
