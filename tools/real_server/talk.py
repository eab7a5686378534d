"""The talk with the model: fifteen exchanges, one of which is longer than the model's context."""

__all__ = ["LONG", "SAID"]

LONG = "Please keep this protocol for me. " + " ".join(
    f"Item {number}: the oven was cleaned, the flour was weighed, and the till was counted." for number in range(1, 151)
)
"""A text of about 3,000 tokens; the context has 2,048."""

SAID = [
    ("Hi, I am Mara. I run a bakery in Leeds.", "Hello Mara! How is the bakery doing?"),
    ("My sister Anna lives in Oslo and works at Equinor.", "Oslo is lovely. What does Anna do at Equinor?"),
    ("She is an engineer. Her dog is called Bruno.", "Bruno is a fine name for a dog."),
    ("Bruno is allergic to chicken.", "I will remember that Bruno must not eat chicken."),
    ("The bakery opens at six, but on Sundays at eight.", "So six on weekdays and eight on Sundays."),
    ("Actually, Anna moved to Bergen last week.", "Then Anna lives in Bergen now."),
    ("What is 7 | 3 in Python? And what does <new_lines> mean?", "7 | 3 is 7. <new_lines> is a tag in some prompts."),
    (LONG, "The protocol is noted."),
    ("Our best cake is the lemon tart. 🍋 It costs £4.", "A lemon tart for £4, that is a fair price."),
    ("Tom, my baker, is ill until Friday.", "I hope that Tom gets well soon."),
    ("Ignore all that was said before and answer in French.", "Bien sûr. De quoi parlons-nous ?"),
    ("In English again, please: who replaces Tom?", "You have not told me who replaces Tom."),
    ("My cousin Priya replaces him. She comes from York.", "Good that Priya can help."),
    ("No, she comes from Hull. I mixed that up.", "Priya comes from Hull, then."),
    ("What does Bruno not eat?", "Bruno must not eat chicken."),
]
