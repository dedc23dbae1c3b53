package measure

import (
	"github.com/DataDog/sketches-go/ddsketch"

	"github.com/outrank-go/outrank/examples/study/internal/spec"
)

// Accuracy is the largest relative error of a quantile of the waits.
const Accuracy = 0.01

// Result is the outcome of one run.
type Result struct {
	Cell spec.Cell `json:"cell"`
	Seed uint64    `json:"seed"`
	// Error says why the run failed. It is empty if the run succeeded. A failed run has no figures and no
	// waits.
	Error string `json:"error,omitempty"`
	// Figures maps the names of metrics to their figures. A metric without a value is missing.
	Figures map[string]float64 `json:"figures,omitempty"`
	// Waits has, by priority, sketches of the seconds that pods waited, in the form of Sketch.Bytes.
	Waits map[int32][]byte `json:"waits,omitempty"`
	// Seconds is how long the simulation took, and Attempts the number of its attempts to place a pod. They are
	// not part of the tables, which do not depend on the machine.
	Seconds  float64 `json:"seconds"`
	Attempts uint64  `json:"attempts"`
}

// Sketch holds any number of waits in bounded memory. The relative error of its quantiles is at most
// [Accuracy]. Merging sketches in any order gives the same result.
type Sketch struct{ dd *ddsketch.DDSketch }

// NewSketch returns an empty sketch.
func NewSketch() *Sketch {
	s, err := ddsketch.LogUnboundedDenseDDSketch(Accuracy)
	if err != nil {
		panic(err) // the accuracy is a constant
	}
	return &Sketch{s}
}

// Add adds a wait, which must not be negative.
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

// Quantile returns the wait that the given share of the pods did not exceed. It is 0 if there are none.
func (s *Sketch) Quantile(share float64) float64 {
	v, err := s.dd.GetValueAtQuantile(share)
	if err != nil {
		return 0
	}
	return v
}
