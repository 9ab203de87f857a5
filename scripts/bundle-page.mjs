// Bundles the inspector's page from src/inspector/page to dist/inspector/page: index.html, page.js, page.css, and the licences of the libraries in page.js.
// Nothing else is loaded: no font, no image, no request to another host.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';

const libraries = ['preact', '@preact/signals', '@preact/signals-core', 'uplot'];

/** Writes the files of the page below `out`, and returns their bytes, as they are and compressed. */
export async function bundlePage(root, out) {
  const from = join(root, 'src/inspector/page');
  const to = join(out, 'inspector/page');
  mkdirSync(to, { recursive: true });
  const build = await rolldown({
    input: join(from, 'main.tsx'),
    platform: 'browser',
    tsconfig: join(from, 'tsconfig.json'),
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message);
    },
  });
  await build.write({ file: join(to, 'page.js'), format: 'es', minify: true, comments: false });
  await build.close();
  const own = ['base', 'frame', 'picture', 'object', 'controllers', 'memory'];
  const styles = [
    join(root, 'node_modules/uplot/dist/uPlot.min.css'),
    ...own.map((name) => join(from, `styles/${name}.css`)),
  ];
  writeFileSync(join(to, 'page.css'), compact(styles.map((file) => readFileSync(file, 'utf8')).join('\n')));
  copyFileSync(join(from, 'index.html'), join(to, 'index.html'));
  const licences = libraries.map(
    (name) => `${name}\n\n${readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8')}`,
  );
  writeFileSync(join(to, 'page.LICENSES'), licences.join('\n\n'));
  return ['index.html', 'page.js', 'page.css'].map((name) => {
    const bytes = readFileSync(join(to, name));
    return { name, bytes: bytes.length, compressed: gzipSync(bytes).length };
  });
}

/** Style sheets without comments and indentation. */
function compact(css) {
  return css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([{};,]) ?/g, '$1')
    .trim();
}
