import { createTestDatabase } from '@cxp/testing';
import { migrate, openDatabase } from '@cxp/storage';
import { databases } from '@cxp/areas/wiring';

it.each(databases)('migrations of $name make the tables that its entities describe', async (area) => {
  const database = await createTestDatabase([area], migrate);
  const dataSource = await openDatabase(database.url, [area], { schema: area.schema });
  // Entities have no comments.
  await dataSource.query('DELETE FROM pg_description');
  // Migrations of its own would keep the expressions of generated columns there: it can't read them from PostgreSQL.
  await dataSource.query(
    `CREATE TABLE ${area.schema}.typeorm_metadata (type text, database text, schema text, "table" text, name text, value text)`,
  );
  for (const { tableName, columns } of dataSource.entityMetadatas) {
    for (const { databaseName, asExpression } of columns.filter((column) => column.generatedType)) {
      await dataSource.query(
        `INSERT INTO ${area.schema}.typeorm_metadata
         VALUES ('GENERATED_COLUMN', current_database(), $1, $2, $3, $4)`,
        [area.schema, tableName, databaseName, asExpression],
      );
    }
  }
  expect(dataSource.entityMetadatas.map(({ tableName }) => tableName)).not.toEqual([]);

  const { upQueries } = await dataSource.driver.createSchemaBuilder().log();
  expect(upQueries.map(({ query }) => query)).toEqual([]);

  await dataSource.destroy();
  await database.drop();
});
