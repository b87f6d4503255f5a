import type { EntityManager } from 'typeorm';

export interface Organization {
  readonly id: string;
  readonly name: string;
}

export class OrganizationRepository {
  constructor(private readonly manager: EntityManager) {}

  /** @returns whether it is new; an organization of that id stays as it was */
  async create({ id, name }: Organization): Promise<boolean> {
    const inserted: unknown[] = await this.manager.query(
      `INSERT INTO access.organization (id, name) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING RETURNING id`,
      [id, name],
    );
    return inserted.length === 1;
  }

  async list(): Promise<Organization[]> {
    return this.manager.query('SELECT id, name FROM access.organization ORDER BY id');
  }

  async exists(id: string): Promise<boolean> {
    const rows: unknown[] = await this.manager.query('SELECT 1 FROM access.organization WHERE id = $1', [id]);
    return rows.length === 1;
  }
}
