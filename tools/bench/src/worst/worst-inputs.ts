import { SERVICES, type ServiceUnderTest } from '@cxp/services/service-under-test';
import { CHATS, CONVERSATIONS } from './conversation-inputs';
import { derivedInputs } from './derived-inputs';
import type { WorstInput, WorstInputs } from './input';
import { SURVEYS } from './survey-inputs';

export interface WorstInputsOfService {
  readonly service: ServiceUnderTest;
  readonly inputs: WorstInputs;
}

/** In the order of the services. */
const BY_HAND: readonly WorstInputs[] = [CHATS, CONVERSATIONS, SURVEYS];

/** Those of every route, record type and frame: `worst-inputs.e2e.ts` fails when one has none. */
export const WORST_INPUTS: readonly WorstInputsOfService[] = SERVICES.map((service, n) => {
  const inputs: Record<string, WorstInput[]> = {};
  for (const [of, list] of [...derivedInputs(service), ...Object.entries(BY_HAND[n]!)])
    inputs[of] = [...(inputs[of] ?? []), ...list];
  return { service, inputs };
});

/** A worst input and what it is called. */
export interface NamedInput {
  readonly name: string;
  readonly service: ServiceUnderTest;
  readonly input: WorstInput;
}

/** All of them. Those that all services have the same: one of each. */
export function allWorstInputs(): NamedInput[] {
  const seen = new Set<string>();
  return WORST_INPUTS.flatMap(({ service, inputs }) =>
    Object.entries(inputs).flatMap(([of, list]) => {
      const isShared = /^GET \/(health|metrics|docs)/.test(of);
      if (isShared && seen.size === seen.add(of).size) return [];
      return list.map((input) => ({ service, input, name: `${service.name}: ${of}: ${input.what}` }));
    }),
  );
}
