export { HintsModule } from './hints.module';
