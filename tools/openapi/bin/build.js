require('../../../libs/local-servers/register.js');
const { BUILT_DOCUMENTS, writeDocuments } = require('../src/documents-page.ts');
writeDocuments(BUILT_DOCUMENTS);
