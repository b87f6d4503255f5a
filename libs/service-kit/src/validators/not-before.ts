import { ValidateBy, type ValidationArguments } from 'class-validator';
import { isCalendarDate } from './calendar-date';

/** A calendar date not before another property's; if one of them is no date, only that is reported. */
export function IsNotBefore(other: string): PropertyDecorator {
  return ValidateBy({
    name: 'isNotBefore',
    constraints: [other],
    validator: {
      validate: (value, validation) => {
        const start = (validation as ValidationArguments & { object: Record<string, unknown> }).object[other];
        return !isCalendarDate(value) || !isCalendarDate(start) || String(value) >= String(start);
      },
      defaultMessage: () => '$property must not be before $constraint1',
    },
  });
}
