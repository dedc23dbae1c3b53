package kubeletadmit

import "github.com/outrank-go/outrank/internal/answerjson"

// Answers are written as JSON and not read back. Without the methods below
// reading would succeed and leave an answer without pods.

// UnmarshalJSON returns an error that wraps [errors.ErrUnsupported]: the JSON of an
// admission refers to pods, and an admission holds them. null changes nothing.
func (a *Admission) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("kubeletadmit.Admission", text)
}

// UnmarshalJSON returns an error; see [Admission.UnmarshalJSON].
func (f *CheckFailure) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("kubeletadmit.CheckFailure", text)
}

// UnmarshalJSON returns an error; see [Admission.UnmarshalJSON].
func (e *EvictedPod) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("kubeletadmit.EvictedPod", text)
}

// UnmarshalJSON returns an error; see [Admission.UnmarshalJSON].
func (s *Contribution) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("kubeletadmit.Contribution", text)
}

// UnmarshalJSON returns an error; see [Admission.UnmarshalJSON].
func (n *ResourceNeed) UnmarshalJSON(text []byte) error {
	return answerjson.Unread("kubeletadmit.ResourceNeed", text)
}
