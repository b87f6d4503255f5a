export interface LocalServerOptions {
  /** Where the data is kept between runs; without it the server is a throw-away one. */
  directory?: string;
  /** The TCP port on 127.0.0.1; by default a free one. */
  port?: number;
  /** Of PostgreSQL, beside its own: `name=value`. */
  settings?: readonly string[];
}

/** A database server on 127.0.0.1 that ends with this process, or before it. */
export interface LocalServer {
  readonly url: string;
  readonly stop: () => Promise<void>;
}
