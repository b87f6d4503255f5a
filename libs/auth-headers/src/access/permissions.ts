/** Resource → actions, for instance `{"$survey_link": ["create"]}`. */
export type Permissions = Readonly<Record<string, readonly string[]>>;

export const EXTERNAL_PERMISSIONS = {
  $webchat_session: ['create', 'refresh'],
  $export_conversation_session: ['list'],
  $survey_campaign: ['list'],
  $survey_response: ['list', 'export'],
  $survey_link: ['create'],
  $personal_data: ['erase'],
  $webhook_endpoint: ['manage'],
} as const satisfies Permissions;

/** Endpoints of `/internal` require these; integrators have none. */
export const PLATFORM_PERMISSIONS = {
  $platform_record: ['import'],
  $conversation: ['write'],
} as const satisfies Permissions;

export const ALL_PERMISSIONS = { ...EXTERNAL_PERMISSIONS, ...PLATFORM_PERMISSIONS };

export type Permission = {
  [Resource in keyof typeof ALL_PERMISSIONS]: `${Resource}:${(typeof ALL_PERMISSIONS)[Resource][number]}`;
}[keyof typeof ALL_PERMISSIONS];

export function allows(permissions: Permissions, permission: Permission): boolean {
  const separator = permission.lastIndexOf(':');
  const resource = permission.slice(0, separator);
  return Object.hasOwn(permissions, resource)
    ? (permissions[resource]?.includes(permission.slice(separator + 1)) ?? false)
    : false;
}

/**
 * Reads the form `$resource:action`.
 * @throws Error naming the unknown one
 */
export function parsePermissions(written: readonly string[]): Permissions {
  const permissions: Record<string, string[]> = {};
  for (const permission of written) {
    if (!isPermission(permission)) throw new Error(`unknown permission "${permission}"`);
    const [resource = '', action = ''] = permission.split(':');
    permissions[resource] = [...new Set([...(permissions[resource] ?? []), action])];
  }
  return permissions;
}

/** Checks untrusted JSON: a JWT's claim, a stored column. */
export function isPermissions(value: unknown): value is Permissions {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every(
      (actions) => Array.isArray(actions) && actions.every((action) => typeof action === 'string'),
    )
  );
}

function isPermission(written: string): written is Permission {
  return Object.entries(ALL_PERMISSIONS).some(([resource, actions]) =>
    actions.some((action) => written === `${resource}:${action}`),
  );
}
