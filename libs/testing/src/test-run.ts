export const SERVING_ROLE = 'cxp_test_service';

export const testRun = {
  get databaseUrl() {
    return preparedVariable('DATABASE_URL');
  },
  get isCluster(): boolean {
    return Boolean(process.env.CITUS_URL);
  },
  /** The PgBouncer in front of the databases, if any. */
  get poolerUrl(): string | undefined {
    return process.env.CXP_TEST_POOLER_URL;
  },
  get redisUrl() {
    return preparedVariable('REDIS_URL');
  },
  /** A prefix by which leftover databases of broken tests are found and dropped. */
  get databasePrefix() {
    return `test_${preparedVariable('CXP_TEST_RUN')}_`;
  },
};

function preparedVariable(name: string): string {
  const value = process.env[name];
  if (!value)
    throw new Error(`${name} is not set: give the project the tag tests:databases in its project.json`);
  return value;
}
