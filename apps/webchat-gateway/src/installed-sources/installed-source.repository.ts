import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

@Injectable()
export class InstalledSourceRepository {
  constructor(private readonly dataSource: DataSource) {}

  async isActive(organizationId: string, id: number): Promise<boolean> {
    // Beyond that an integer is no longer the one that was sent.
    if (!Number.isSafeInteger(id)) return false;
    const rows: unknown[] = await this.dataSource.query(
      'SELECT 1 FROM webchat.installed_source WHERE organization_id = $1 AND id = $2 AND active',
      [organizationId, id],
    );
    return rows.length === 1;
  }
}
