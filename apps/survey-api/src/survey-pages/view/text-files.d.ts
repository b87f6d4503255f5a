/** Files that a page brings to the browser: imported as text. */
declare module '*.css' {
  const text: string;
  export default text;
}

declare module '*.client.js' {
  const text: string;
  export default text;
}

/** Preact's types bring those of a browser, whose `fetch` lacks this option of Node.js. */
interface RequestInit {
  duplex?: 'half';
}
