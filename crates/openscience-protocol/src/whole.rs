//! Whole numbers that every JSON reader keeps exact.
//!
//! Many clients hold numbers as 64-bit floats; beyond 2^53 they would read
//! back another number than they sent.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, Unexpected, Visitor};

/// Greatest whole number that a 64-bit float and its neighbours tell apart.
pub const WHOLE_MAX: u64 = (1 << 53) - 1;

/// A whole number from `MIN` to [`WHOLE_MAX`], as a client sends one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whole<const MIN: u64>(pub u64);

impl<'de, const MIN: u64> Deserialize<'de> for Whole<MIN> {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        struct Bounded<const MIN: u64>;

        impl<const MIN: u64> Visitor<'_> for Bounded<MIN> {
            type Value = Whole<MIN>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a whole number from {MIN} to {WHOLE_MAX}")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
                if (MIN..=WHOLE_MAX).contains(&number) {
                    Ok(Whole(number))
                } else {
                    Err(E::invalid_value(Unexpected::Unsigned(number), &self))
                }
            }

            fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
                match u64::try_from(number) {
                    Ok(number) => self.visit_u64(number),
                    Err(_) => Err(E::invalid_value(Unexpected::Signed(number), &self)),
                }
            }
        }

        source.deserialize_u64(Bounded)
    }
}

/// A number from 1 on that may be left out; for `deserialize_with`.
pub(crate) fn positive<'de, D: Deserializer<'de>>(source: D) -> Result<Option<u64>, D::Error> {
    let number = Option::<Whole<1>>::deserialize(source)?;
    Ok(number.map(|Whole(number)| number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_whole_number_is_within_its_bounds() {
        let read = |text: &str| serde_json::from_str::<Whole<1>>(text).map_err(|error| error.to_string());
        assert_eq!(read("1"), Ok(Whole(1)));
        assert_eq!(read("9007199254740991"), Ok(Whole(WHOLE_MAX)));
        for text in ["0", "-1", "9007199254740992", "1.5", "\"1\"", "null"] {
            let message = read(text).unwrap_err();
            assert!(message.contains("expected a whole number from 1 to 9007199254740991"), "{message}");
        }
        assert_eq!(serde_json::from_str::<Whole<0>>("0").unwrap(), Whole(0));
    }
}
