import { accessDatabase } from '@cxp/access';
import { runMigrations } from '@cxp/service-kit';
import { surveyDatabase } from './database';

void runMigrations([accessDatabase, surveyDatabase]);
