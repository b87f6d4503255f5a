import { accessDatabase } from '@cxp/auth-headers';
import { runMigrations } from '@cxp/service-kit';
import { surveyDatabase } from './database';

void runMigrations([accessDatabase, surveyDatabase]);
