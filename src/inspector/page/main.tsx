import { render } from 'preact';
import { App } from './app.js';
import { connect } from './feed.js';
import { followKeys } from './keys.js';
import { followAddress } from './route.js';
import { followTheme } from './theme.js';

followTheme();
followAddress();
followKeys();
connect();
render(<App />, document.getElementById('page')!);
