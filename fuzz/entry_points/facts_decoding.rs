//! Decoding of any bytes as a record of facts.

/// Damaged records are errors: as they are, and behind a version and a checksum that are right.
pub fn facts_decoding(data: &[u8]) {
    let _ = facts::decode(data);
    let mut record = vec![facts::FORMAT_VERSION];
    record.extend_from_slice(&blake3::hash(data).as_bytes()[..8]);
    record.extend_from_slice(data);
    let _ = facts::decode(&record);
}
