import { KnownEventsAreAnswered1795800000000 } from './conversation-functions';
import { CreateWebchat1795700000000 } from './create-webchat';
import { KeepErasuresApart1795900000000 } from './keep-erasures-apart';

export const migrations = [
  CreateWebchat1795700000000,
  KnownEventsAreAnswered1795800000000,
  KeepErasuresApart1795900000000,
];
