import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** A customer as a session's creator names them. */
export interface WebchatUser {
  readonly id: string;
  readonly name?: string | null;
  readonly email?: string | null;
  readonly phone?: string | null;
}

@Injectable()
export class ConversationRepository {
  constructor(private readonly dataSource: DataSource) {}

  /**
   * The user's conversation, a new one if there was none. One statement over the unique `user_id`: however many ask at
   * once, they all get the same.
   * @returns its id
   */
  async findOrCreate(organizationId: string, user: WebchatUser): Promise<string> {
    const [conversation]: { id: string }[] = await this.dataSource.query(
      `INSERT INTO webchat.conversation AS known (organization_id, user_id, user_name, user_email, user_phone)
       VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (organization_id, user_id) DO UPDATE
         SET user_name = coalesce(excluded.user_name, known.user_name),
             user_email = coalesce(excluded.user_email, known.user_email),
             user_phone = coalesce(excluded.user_phone, known.user_phone)
       RETURNING id`,
      [organizationId, user.id, user.name, user.email, user.phone],
    );
    return conversation!.id;
  }
}
