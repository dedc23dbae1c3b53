package measure

import (
	"github.com/DataDog/sketches-go/ddsketch"

	"github.com/outrank-go/outrank/examples/study/internal/spec"
)

// Accuracy is the most relative error of a quantile of the waits.
const Accuracy = 0.01

// Result is one run.
type Result struct {
	Cell spec.Cell `json:"cell"`
	Seed uint64    `json:"seed"`
	// Error is why the run failed, with nothing else then.
	Error string `json:"error,omitempty"`
	// Figures are by the name of the Metric. A run lacks those that it has no value for.
	Figures map[string]float64 `json:"figures,omitempty"`
	// Waits are sketches of the seconds that pods of a priority waited, in the
	// form of Sketch.Bytes.
	Waits map[int32][]byte `json:"waits,omitempty"`
	// Seconds is the time of the run, Attempts the number of its attempts to place a
	// pod. They are no part of the tables, which do not depend on the machine.
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

// Add adds a wait, which is not negative.
func (s *Sketch) Add(seconds float64) error { return s.of.Add(seconds) }

// Merge adds another sketch, as its bytes.
func (s *Sketch) Merge(other []byte) error { return s.of.DecodeAndMergeWith(other) }

// Bytes is the sketch in the form that [Sketch.Merge] reads.
func (s *Sketch) Bytes() []byte {
	var b []byte
	s.of.Encode(&b, false)
	return b
}

// Count is the number of waits.
func (s *Sketch) Count() int64 { return int64(s.of.GetCount()) }

// Quantile is the wait that a share of the pods did not exceed; 0 if there are none.
func (s *Sketch) Quantile(share float64) float64 {
	v, err := s.of.GetValueAtQuantile(share)
	if err != nil {
		return 0
	}
	return v
}
