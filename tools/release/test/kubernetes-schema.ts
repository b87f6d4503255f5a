import { createRequire } from 'node:module';
import { join } from 'node:path';
import { workspaceRoot } from '@cxp/testing/local-servers';
import type { Manifest } from './area-manifests';

/** The packages that carry the schemas of API groups; all others are Kubernetes' own. */
const PACKAGES: Readonly<Record<string, string>> = {
  'gateway.envoyproxy.io': '@kubernetes-models/envoy-gateway',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api',
};

const requireFromHere = createRequire(__filename);

/** A model of these packages. */
interface Model {
  readonly prototype: { readonly validate: () => void };
}

/** What Kubernetes would refuse or overlook in an object: what its schema says, and fields that it does not have. */
export function manifestProblems(manifest: Manifest): string[] {
  const { apiVersion, kind } = manifest;
  const from = PACKAGES[apiVersion.split('/')[0]!] ?? 'kubernetes-models';
  // By its path: the packages export it to `import` only, which the tests' transform makes a `require`.
  const models = requireFromHere(
    join(workspaceRoot, 'node_modules', from, apiVersion, `${kind}.js`),
  ) as Record<string, Model>;
  const watch = new FieldWatch();
  try {
    // A model's constructor would copy the object, and so look at every field.
    models[kind]!.prototype.validate.call(watch.over(manifest));
  } catch (error) {
    return [(error as Error).message];
  }
  return watch.fieldsNeverRead().map((field) => `${kind} has no field ${field}`);
}

/**
 * Notices which fields of an object are read. The schemas allow any further field; but those that they know are the ones
 * that a check reads. Where it walks through all fields, as it does with labels, all of them are known.
 */
class FieldWatch {
  private readonly read = new Map<string, Set<PropertyKey>>();
  private readonly present = new Map<string, string[]>();

  over<T extends object>(object: T, path = ''): T {
    const read = this.read.get(path) ?? new Set();
    this.read.set(path, read);
    this.present.set(path, Object.keys(object));
    return new Proxy(object, {
      get: (target, field, receiver) => {
        read.add(field);
        const value: unknown = Reflect.get(target, field, receiver);
        return typeof value === 'object' && value !== null
          ? this.over(value, `${path}/${String(field)}`)
          : value;
      },
      ownKeys: (target) => {
        for (const field of Reflect.ownKeys(target)) read.add(field);
        return Reflect.ownKeys(target);
      },
    });
  }

  /** Objects that were not looked into at all may hold anything. */
  fieldsNeverRead(): string[] {
    return [...this.read]
      .filter(([, read]) => read.size > 0)
      .flatMap(([path, read]) =>
        this.present
          .get(path)!
          .filter((field) => !read.has(field))
          .map((field) => `${path}/${field}`),
      );
  }
}
