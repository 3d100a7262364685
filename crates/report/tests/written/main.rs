//! What is written about a run, from an outcome made by hand.

mod files;
mod judgement;
mod sample;
mod screen;
