require('../../../libs/testing/register.js');
const { BUILT_DOCUMENTS, writeDocuments } = require('../src/documents-page.ts');
writeDocuments(BUILT_DOCUMENTS);
