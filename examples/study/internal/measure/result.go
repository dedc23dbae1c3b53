package measure

import (
	"github.com/DataDog/sketches-go/ddsketch"

	"github.com/outrank-go/outrank/examples/study/internal/spec"
)

// Accuracy is by how much, in proportion, a quantile of the waits may be off.
const Accuracy = 0.01

// Result is one run.
type Result struct {
	Cell spec.Cell `json:"cell"`
	Seed uint64    `json:"seed"`
	// Error is why the run failed, with nothing else then.
	Error string `json:"error,omitempty"`
	// Figures are by the name of the [Metric]. A run has none for what it has nothing of.
	Figures map[string]float64 `json:"figures,omitempty"`
	// Waits are sketches of how many seconds pods of a priority waited, as [Sketch.Bytes]
	// has them.
	Waits map[int32][]byte `json:"waits,omitempty"`
	// Seconds is how long the run took, Attempts how many attempts to place a pod it made.
	// They are no part of the tables, which do not depend on the machine.
	Seconds  float64 `json:"seconds"`
	Attempts uint64  `json:"attempts"`
}

// Sketch holds any number of waits in bounded memory, for quantiles off by [Accuracy] at
// most. Merging gives the same in any order.
type Sketch struct{ of *ddsketch.DDSketch }

// NewSketch is an empty one.
func NewSketch() *Sketch {
	s, err := ddsketch.LogUnboundedDenseDDSketch(Accuracy)
	if err != nil {
		panic(err) // the accuracy is a constant
	}
	return &Sketch{s}
}

// Add takes in a wait, which is not negative.
func (s *Sketch) Add(seconds float64) error { return s.of.Add(seconds) }

// Merge takes in what another sketch holds, as its bytes.
func (s *Sketch) Merge(other []byte) error { return s.of.DecodeAndMergeWith(other) }

// Bytes is the sketch as [Sketch.Merge] reads it.
func (s *Sketch) Bytes() []byte {
	var b []byte
	s.of.Encode(&b, false)
	return b
}

// Count is how many waits there are.
func (s *Sketch) Count() int64 { return int64(s.of.GetCount()) }

// Quantile is the wait that a share of the pods did not exceed; 0 if there are none.
func (s *Sketch) Quantile(share float64) float64 {
	v, err := s.of.GetValueAtQuantile(share)
	if err != nil {
		return 0
	}
	return v
}
