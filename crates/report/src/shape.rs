use std::fmt;

use serde::de::{Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

/// The keys of a JSON text in the order in which they stand. A `serde_json::Value` sorts its keys, so
/// the order of columns comes from here and the values from there.
#[derive(Debug)]
pub(crate) enum Shape {
    Leaf,
    Map(Vec<(String, Shape)>),
    List(Vec<Shape>),
}

impl Shape {
    /// Dotted names of all single values, in the order of the fields, with the values; lists by index.
    pub(crate) fn scalars(item: &impl Serialize) -> Vec<(String, Json)> {
        // The values do not take the way through text, which may cost a float its last bit.
        let value = serde_json::to_value(item).expect("text keys and finite numbers");
        let text = serde_json::to_string(item).expect("text keys and finite numbers");
        let shape: Shape = serde_json::from_str(&text).expect("the text was written as JSON");
        let mut found = Vec::new();
        shape.collect(String::new(), &value, &mut found);
        found
    }

    fn collect(&self, path: String, value: &Json, found: &mut Vec<(String, Json)>) {
        let inner = |key: &str| if path.is_empty() { key.to_string() } else { format!("{path}.{key}") };
        match self {
            Shape::Leaf => found.push((path, value.clone())),
            Shape::Map(entries) => {
                entries.iter().for_each(|(key, shape)| shape.collect(inner(key), &value[key.as_str()], found));
            }
            Shape::List(items) => {
                let items = items.iter().enumerate();
                items.for_each(|(index, shape)| shape.collect(inner(&index.to_string()), &value[index], found));
            }
        }
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Shape, D::Error> {
        deserializer.deserialize_any(ShapeVisitor)
    }
}

struct ShapeVisitor;

impl<'de> Visitor<'de> for ShapeVisitor {
    type Value = Shape;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_bool<E>(self, _: bool) -> Result<Shape, E> {
        Ok(Shape::Leaf)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Shape, E> {
        Ok(Shape::Leaf)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Shape, E> {
        Ok(Shape::Leaf)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Shape, E> {
        Ok(Shape::Leaf)
    }

    fn visit_str<E>(self, _: &str) -> Result<Shape, E> {
        Ok(Shape::Leaf)
    }

    fn visit_unit<E>(self) -> Result<Shape, E> {
        Ok(Shape::Leaf)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Shape, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Shape::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shape, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Shape::Map(entries))
    }
}
