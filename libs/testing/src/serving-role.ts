/** What services under test connect as. */
export const SERVING_ROLE = 'cxp_test_service';
