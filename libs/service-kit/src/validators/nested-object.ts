import { applyDecorators, type Type } from '@nestjs/common';
import { Type as TransformTo } from 'class-transformer';
import { IsObject, ValidateNested } from 'class-validator';

const classes = new WeakMap<object, Map<string | symbol, () => Type>>();

/** A property that is an object with a class of its own. */
export function NestedObject(typeOf: () => Type): PropertyDecorator {
  const remember: PropertyDecorator = (prototype, property) => {
    classes.set(
      prototype,
      (classes.get(prototype) ?? new Map<string | symbol, () => Type>()).set(property, typeOf),
    );
  };
  return applyDecorators(remember, TransformTo(typeOf), ValidateNested(), IsObject());
}

/** The class of a property that was declared with `NestedObject`, in the class itself or in one that it extends. */
export function nestedClassOf(metatype: Type, property: string): Type | undefined {
  for (
    let prototype: object | null = metatype.prototype as object;
    prototype;
    prototype = Object.getPrototypeOf(prototype) as object | null
  ) {
    const typeOf = classes.get(prototype)?.get(property);
    if (typeOf) return typeOf();
  }
  return undefined;
}
