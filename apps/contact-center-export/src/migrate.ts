import { accessDatabase } from '@cxp/auth-headers';
import { runMigrations } from '@cxp/service-kit';
import { contactCenterDatabase } from './database';

void runMigrations([accessDatabase, contactCenterDatabase]);
