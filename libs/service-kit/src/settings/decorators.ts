import { isIP } from 'node:net';
import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ArrayNotEmpty, IsIn, IsInt, Max, Min, ValidateBy } from 'class-validator';

/** A whole number within bounds, both included. */
export function IntegerSetting(min: number, max: number): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (typeof value === 'string' ? Number(value) : value)),
    IsInt(),
    Min(min),
    Max(max),
  );
}

/** `on` or `off`. */
export function SwitchSetting(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) => (value === 'on' ? true : value === 'off' ? false : value)),
    IsIn([true, false], { message: '$property must be "on" or "off"' }),
  );
}

/** Values separated by commas. */
export function ListSetting(): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? value.split(',').map((item) => item.trim()) : value,
  );
}

export function IsDatabaseUrl(): PropertyDecorator {
  return ValidateBy({
    name: 'isDatabaseUrl',
    validator: {
      validate: (value) =>
        typeof value === 'string' && /^postgres(ql)?:\/\/[^,]*$/.test(value) && URL.canParse(value),
      defaultMessage: () => '$property must be a postgres:// URL of one host',
    },
  });
}

/** A key that signs or verifies. */
export interface SigningKey {
  readonly id: string;
  readonly secret: string;
}

/** `<id>:<secret of 32 characters or more>`, separated by commas: the first signs, all of them verify. */
export function SigningKeysSetting(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: { value: unknown }) =>
      typeof value === 'string' ? parseSigningKeys(value) : value,
    ),
    ArrayNotEmpty({ message: '$property must be <id>:<secret of at least 32 characters>, …' }),
  );
}

/** @returns no keys at all when one is malformed or an id is there twice, which the setting then refuses */
function parseSigningKeys(value: string): readonly SigningKey[] {
  const keys = value
    .split(',')
    .map((entry) => /^([A-Za-z0-9._-]+):(\S{32,})$/.exec(entry.trim()))
    .map((match) => ({ id: match?.[1] ?? '', secret: match?.[2] ?? '' }));
  const ids = new Set(keys.map(({ id }) => id));
  return ids.size === keys.length && !ids.has('') ? keys : [];
}

/** IP addresses and CIDR ranges, separated by commas. */
export function AddressRangesSetting(): PropertyDecorator {
  return applyDecorators(
    ListSetting(),
    ValidateBy(
      {
        name: 'isAddressRange',
        validator: {
          validate: (value) => typeof value === 'string' && isAddressRange(value),
          defaultMessage: () => '$property must be IP addresses or CIDR ranges',
        },
      },
      { each: true },
    ),
  );
}

function isAddressRange(text: string): boolean {
  const [address = '', prefix, ...rest] = text.split('/');
  const bits = { 0: 0, 4: 32, 6: 128 }[isIP(address)] ?? 0;
  const sound =
    prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) > 0 && Number(prefix) <= bits);
  return bits > 0 && sound && rest.length === 0;
}
