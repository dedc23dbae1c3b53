package lib

func ExampleExampled() { Exampled() }

func tests() { Tested() }
