package measure

import (
	"github.com/DataDog/sketches-go/ddsketch"

	"github.com/outrank-go/outrank/examples/study/internal/spec"
)

// Accuracy is the largest relative error of a quantile of the waits.
const Accuracy = 0.01

// Result is one run.
type Result struct {
	Cell spec.Cell `json:"cell"`
	Seed uint64    `json:"seed"`
	// Error says why the run failed. A failed run has no figures and no waits.
	Error string `json:"error,omitempty"`
	// Figures has the figures by the name of the metric. A metric without a value is missing.
	Figures map[string]float64 `json:"figures,omitempty"`
	// Waits has sketches of the seconds that the pods of each priority waited, in the
	// form of Sketch.Bytes.
	Waits map[int32][]byte `json:"waits,omitempty"`
	// Seconds is how long the simulation took, Attempts the number of its attempts to place a
	// pod. They are no part of the tables, which do not depend on the machine.
	Seconds  float64 `json:"seconds"`
	Attempts uint64  `json:"attempts"`
}

// Sketch holds any number of waits in bounded memory. Its quantiles are off by [Accuracy] at
// most. Merging gives the same in any order.
type Sketch struct{ dd *ddsketch.DDSketch }

// NewSketch returns an empty sketch.
func NewSketch() *Sketch {
	s, err := ddsketch.LogUnboundedDenseDDSketch(Accuracy)
	if err != nil {
		panic(err) // the accuracy is a constant
	}
	return &Sketch{s}
}

// Add adds a wait, which is not negative.
func (s *Sketch) Add(seconds float64) error { return s.dd.Add(seconds) }

// Merge adds the waits of another sketch, given as its bytes.
func (s *Sketch) Merge(other []byte) error { return s.dd.DecodeAndMergeWith(other) }

// Bytes returns the sketch in the form that [Sketch.Merge] reads.
func (s *Sketch) Bytes() []byte {
	var b []byte
	s.dd.Encode(&b, false)
	return b
}

// Count returns the number of waits.
func (s *Sketch) Count() int64 { return int64(s.dd.GetCount()) }

// Quantile returns the wait that a share of the pods did not exceed, 0 if there are none.
func (s *Sketch) Quantile(share float64) float64 {
	v, err := s.dd.GetValueAtQuantile(share)
	if err != nil {
		return 0
	}
	return v
}
