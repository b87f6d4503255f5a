import { accessDatabase } from '@cxp/auth-headers';
import { runMigrations } from '@cxp/service-kit';
import { webchatDatabase } from './database';

void runMigrations([accessDatabase, webchatDatabase]);
