import { contactCenter, survey, webchat, type ServiceUnderTest } from '@cxp/services/service-under-test';
import { CONTACT_CENTER_INPUTS } from './contact-center-inputs';
import { genericInputs } from './generic-inputs';
import { SURVEY_INPUTS } from './survey-inputs';
import { WEBCHAT_INPUTS } from './webchat-inputs';
import type { WorstInput, WorstInputs } from './worst-input';

export interface WorstInputsOfService {
  readonly service: ServiceUnderTest;
  readonly inputs: WorstInputs;
}

/** Those of every route, record type and frame: `worst-inputs.e2e.ts` fails when one has none. */
export const WORST_INPUTS: readonly WorstInputsOfService[] = [
  { service: webchat, own: WEBCHAT_INPUTS },
  { service: contactCenter, own: CONTACT_CENTER_INPUTS },
  { service: survey, own: SURVEY_INPUTS },
].map(({ service, own }) => {
  const generic = genericInputs(service);
  const names = [...new Set([...Object.keys(generic), ...Object.keys(own)])];
  const inputsOf = (name: string) => [...(generic[name] ?? []), ...(own[name] ?? [])];
  return { service, inputs: Object.fromEntries(names.map((name) => [name, inputsOf(name)])) };
});

/** A worst input and what it is called. */
export interface NamedInput {
  readonly name: string;
  readonly service: ServiceUnderTest;
  readonly input: WorstInput;
}

/** All of them; those that all services have once. */
export function allWorstInputs(): NamedInput[] {
  const all = WORST_INPUTS.flatMap(({ service, inputs }) =>
    Object.entries(inputs).flatMap(([of, list]) =>
      list.map((input) => ({ service, input, name: `${service.name}: ${of}: ${input.what}` })),
    ),
  );
  return [...new Map(all.map((each) => [each.input, each])).values()];
}
