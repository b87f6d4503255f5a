/** One page is in memory at a time. */
export async function* itemsOfPages<Item>(
  load: (page: number) => Promise<{ readonly items: readonly Item[]; readonly pages: number }>,
): AsyncGenerator<Item> {
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const loaded = await load(page);
    pages = loaded.pages;
    yield* loaded.items;
  }
}
