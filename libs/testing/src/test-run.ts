/** What services under test connect as. */
export const SERVING_ROLE = 'cxp_test_service';

/** What jest's global setup prepared for the test files of a run. */
export const testRun = {
  get databaseUrl() {
    return preparedVariable('DATABASE_URL');
  },
  /** Whether databases are made on the Citus cluster of CITUS_URL. */
  get isCluster(): boolean {
    return Boolean(process.env.CITUS_URL);
  },
  /** Of the PgBouncer in front of the databases, if there is one. */
  get poolerUrl(): string | undefined {
    return process.env.CXP_TEST_POOLER_URL;
  },
  get redisUrl() {
    return preparedVariable('REDIS_URL');
  },
  /** Databases of this run begin with it, so that those that a broken test leaves behind are found and dropped. */
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
