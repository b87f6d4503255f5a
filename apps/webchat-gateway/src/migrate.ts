import { accessDatabase } from '@cxp/access';
import { runMigrations } from '@cxp/service-kit';
import { webchatDatabase } from './database';

void runMigrations([accessDatabase, webchatDatabase]);
