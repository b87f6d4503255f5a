require('../../../libs/testing/register.js');
const { BUILT_DOCUMENTS, writeDocuments } = require('../src/documents.ts');
writeDocuments(BUILT_DOCUMENTS);
