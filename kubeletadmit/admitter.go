package kubeletadmit

import (
	"fmt"

	"github.com/outrank-go/outrank"
	"github.com/outrank-go/outrank/qos"
)

// Admitter decides by the rules of a release. The functions of the package are those of
// the zero Admitter. Any number of goroutines may use one at once.
//
// Releases differ in what the pods that are there count with in the check (rule
// 2.2.11), and in the class of pods of which none is recorded (rules 3.12 and 3.13).
type Admitter struct {
	// Release is whose rules hold; zero means [outrank.DefaultRelease]. One that is not
	// known is an error of every call.
	Release outrank.Release
}

// problems reports a release that is not known.
func (a Admitter) problems() []outrank.Problem {
	if a.Release.Known() {
		return nil
	}
	return []outrank.Problem{{Object: "admitter", Field: "Release", Text: fmt.Sprintf("%v is not known", a.Release)}}
}

// Admit is [Admit] by the rules of the release.
func (a Admitter) Admit(node *outrank.Node, active []*outrank.Pod, pod *outrank.Pod) (Admission, error) {
	s := newScratch(a, pod)
	defer s.release()
	s.tally.choosing = Critical(pod)
	if err := s.check(node, active); err != nil {
		return Admission{}, err
	}
	if reason, message := refusedOutright(node, pod); reason != "" {
		return Admission{Outcome: Rejected, Reason: reason, Message: message}, nil
	}
	adm := Admission{Failures: append([]CheckFailure(nil), s.failures...)}
	if stays := insurmountable(pod, adm.Failures); len(stays) > 0 {
		return adm.reject(stays), nil
	}
	return s.makeRoom(adm, active)
}

// class is the class that the kubelet of the release takes a pod for.
func (a Admitter) class(pod *outrank.Pod) outrank.QOSClass { return qos.OfIn(a.Release, pod) }
