import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { billOfMaterials } from './release/bill-of-materials.ts';
import { localFolder } from './service.ts';

/* `make sbom`: writes the bill of materials of a production install on any platform. An archive of `make release` has its own. */

const FILE = join(localFolder, 'sbom.cdx.json');
mkdirSync(localFolder, { recursive: true });
const text = billOfMaterials(null);
writeFileSync(FILE, text);
process.stdout.write(`${FILE}: ${JSON.parse(text).components.length} components\n`);
