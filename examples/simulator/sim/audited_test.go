package sim

// Every run of the tests of this package is audited.
func init() { auditing = true }
