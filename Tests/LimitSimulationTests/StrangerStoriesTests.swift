import Testing

@Suite struct StrangerStoriesTests {
    @Test(arguments: StrangerStory.all.indices)
    func `keeps no more people out than the goal of the story`(index: Int) {
        let story = StrangerStory.all[index]
        let (people, keptOut) = story.run()
        let percent = Double(keptOut) * 100 / Double(people)
        print("| \(story.name) | \(story.before) % | \(Report.text(percent)) % | \(Report.text(story.goal)) % |")
        #expect(percent <= story.goal, "\(story.name): \(keptOut) of \(people)")
    }
}
