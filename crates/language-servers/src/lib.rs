//! language-servers
