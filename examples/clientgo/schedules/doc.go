// Package schedules holds the mirror and the actions to what has to hold in simulated time. Its tests run the
// schedules of the library (internal/tests/schedules) with a scheduler that reaches their plain API server through
// both. It has no code of its own.
package schedules
