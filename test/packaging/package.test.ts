import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { publint } from 'publint';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { repository } from '../support/dist.js';
import { Program } from '../support/program.js';
import { PackedPackage } from './packed-package.js';
import { PublicDeclarations } from './public-declarations.js';

let packed: PackedPackage;

beforeAll(() => {
  packed = new PackedPackage();
});

afterAll(() => packed?.[Symbol.dispose]());

describe('the tarball', () => {
  it('has the files that users need, and no others', () => {
    const allowed =
      /^(?:dist\/.+\.(?:js|js\.map|d\.ts)|dist\/yaml\.LICENSE|dist\/inspector\/page\/(?:index\.html|page\.css|page\.LICENSES)|(?:docs|examples)\/.+|package\.json|README\.md|CHANGELOG\.md|LICENSE)$/;
    expect(packed.files.filter((file) => !allowed.test(file))).toEqual([]);
    expect(packed.files.filter((file) => /^dist\/.*\.test(?:-d)?\./.test(file))).toEqual([]);
    for (const { types, code } of packed.entryPoints) {
      for (const file of [types, code]) expect(statSync(file).isFile(), file).toBe(true);
    }
    for (const file of Object.values(packed.manifest.bin)) {
      expect(readFileSync(join(packed.root, file), 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/);
    }
  });

  it('has the targets of all links of its pages', () => {
    const pages = packed.files.filter((file) => file.endsWith('.md'));
    const broken = pages.flatMap((page) => {
      const text = readFileSync(join(packed.root, page), 'utf8').replace(/^```.*?^```$/gms, '');
      const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, link]) => link as string);
      return (
        links
          // Pictures are in the repository only.
          .filter((link) => !link.endsWith('.webp'))
          .filter((link) => !existsSync(join(packed.root, dirname(page), link)))
          .map((link) => `${page}: ${link}`)
      );
    });
    expect(broken).toEqual([]);
  });

  it('contains no path of the machine that built it', () => {
    const telling = packed.files.filter((file) => {
      const text = readFileSync(join(packed.root, file), 'utf8');
      return text.includes(repository) || /\bfile:\/\/\/(?:home|root|Users)\//.test(text);
    });
    expect(telling).toEqual([]);
  });

  it('has source maps that contain the sources of all but the server, the command, the codecs and generated tables', () => {
    const maps = packed.files.filter((name) => name.endsWith('.js.map'));
    const sources = maps.flatMap((file) => {
      const map = JSON.parse(readFileSync(join(packed.root, file), 'utf8')) as Readonly<Record<string, string[]>>;
      return map['sources']!.map((path, at) => ({
        path: join(dirname(file), path),
        text: map['sourcesContent']?.[at],
      }));
    });
    expect(sources.filter(({ path }) => !existsSync(join(repository, path)))).toEqual([]);
    const mapped = sources.filter(({ text }) => typeof text === 'string').map(({ path }) => path);
    expect(mapped).toContain(join('src', 'cache', 'reflector', 'reflector.ts'));
    const others = sources.filter(({ text }) => typeof text !== 'string').map(({ path }) => path.split(sep)[1]!);
    expect(['apiserver', 'cli', 'codec', 'regexp', 'resources']).toEqual(expect.arrayContaining([...new Set(others)]));
  });

  it('names files of src/ in stack traces with --enable-source-maps', () => {
    const script = `
      import { Client } from 'kubeflect';
      console.log(await Client.fromKubeconfig({ text: 'contexts: [' }).catch((error) => error.stack));`;
    const stack = packed.node(packed.project, '--enable-source-maps', '--input-type=module', '--eval', script);
    expect(stack).toContain(join('src', 'rest', 'config', 'kubeconfig-parse.ts'));
  });
});

describe('the package, installed', () => {
  it('has an entry for every folder with an index', () => {
    const folders = readdirSync(join(repository, 'src')).filter((name) => {
      // `kubeflect` exports all names of this one.
      return name !== 'informers' && existsSync(join(repository, 'src', name, 'index.ts'));
    });
    const specifiers = packed.entryPoints.map(({ specifier }) => specifier);
    expect(specifiers.sort()).toEqual(['', ...folders, 'types'].map((name) => join('kubeflect', name)).sort());
  });

  it('can be imported by every entry', () => {
    const specifiers = packed.entryPoints.map(({ specifier }) => specifier);
    expect(specifiers).toContain('kubeflect');
    const script = `
      const names = {};
      for (const specifier of ${JSON.stringify(specifiers)}) names[specifier] = Object.keys(await import(specifier));
      console.log(JSON.stringify(names));`;
    const names = JSON.parse(packed.node(packed.project, '--input-type=module', '--eval', script));
    for (const specifier of specifiers) {
      // Types have no names at run time.
      if (specifier === 'kubeflect/types') expect(names[specifier], specifier).toEqual([]);
      else expect(names[specifier].length, specifier).toBeGreaterThan(0);
      expect(names[specifier], specifier).not.toContain('default');
    }
  });

  it('can be required by CommonJS programs', () => {
    const specifiers = packed.entryPoints.map(({ specifier }) => specifier);
    const script = `
      for (const specifier of ${JSON.stringify(specifiers)}) require(specifier);
      console.log(typeof require('kubeflect').SharedInformerFactory);`;
    expect(packed.node(packed.project, '--no-warnings', '--eval', script)).toBe('function\n');
  });

  it('runs its examples', async () => {
    const program = new Program([join(packed.root, 'examples/run-controller.mjs')], { cwd: packed.project });
    await program.seen(/^(add default\/shop-\w+\n){3}/m);
    const { code, stderr } = await program.interrupt();
    expect(stderr).toBe('');
    expect(code).toBe(0);
  });

  it('loads its dependencies on first use only', () => {
    // In a project without them, importing one of them would fail.
    const script = `
      const rss = process.memoryUsage.rss();
      const begin = performance.now();
      await import('kubeflect');
      console.log((performance.now() - begin).toFixed(0) + ' ms, ' +
        ((process.memoryUsage.rss() - rss) / 2 ** 20).toFixed(1) + ' MB');`;
    const cost = packed.node(packed.bareProject, '--input-type=module', '--eval', script).trim();
    console.log(`importing kubeflect: ${cost}`);
    expect(cost).toMatch(/^\d+ ms, /);
  });

  it('runs its command', () => {
    const bin = join(packed.root, packed.manifest.bin['kubeflect']!);
    expect(packed.node(packed.project, bin, '--version')).toMatch(/^\d+\.\d+\.\d+/);
  });
});

describe('the declarations', () => {
  it('have a comment on every name, and mention only types that can be imported', () => {
    const declarations = new PublicDeclarations(packed.root, packed.entryPoints);
    expect(declarations.undocumented()).toEqual([]);
    expect(declarations.unnameable()).toEqual([]);
  }, 600_000);

  it('and the manifest pass publint', async () => {
    const { messages } = await publint({ pkgDir: packed.root, pack: false, strict: true });
    expect(messages).toEqual([]);
  }, 600_000);
});
