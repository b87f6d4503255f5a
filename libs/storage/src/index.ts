export { migrate, type DatabaseArea } from './migrate';
