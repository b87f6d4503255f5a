import { accessDatabase } from '@cxp/access';
import { runMigrations } from '@cxp/service-kit';
import { contactCenterDatabase } from './database';

void runMigrations([accessDatabase, contactCenterDatabase]);
