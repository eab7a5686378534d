"""Lists of words for the rules about names. They are short on purpose: what they lack, the rules guess or leave out."""

__all__ = [
    "CALENDAR",
    "COMMON",
    "DEMONYMS",
    "FEMALE",
    "FEMALE_ROLES",
    "FIRST_NAMES",
    "MALE",
    "MALE_ROLES",
    "NEVER_NAMES",
    "ORGANISATIONS",
    "PLACES",
    "ROLES",
]


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


CALENDAR = _set(
    """
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays saturdays
    sundays january february march april may june july august september october november december jan feb mar apr jun
    jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri spring summer autumn winter today tomorrow
    yesterday tonight
    """
)

DEMONYMS = _set(
    """
    african american arab argentinian asian australian austrian belgian brazilian british bulgarian canadian chilean
    chinese colombian croatian cuban czech danish dutch egyptian english estonian european finnish french german
    greek hindu hungarian icelandic indian indonesian iranian iraqi irish islamic israeli italian jamaican japanese
    jewish kenyan korean latin latvian lithuanian malaysian mexican moroccan muslim nigerian norwegian pakistani
    persian peruvian polish portuguese roman romanian russian scandinavian scottish serbian slovak slovenian spanish
    swedish swiss syrian thai tunisian turkish ukrainian venezuelan vietnamese welsh western
    """
)
"""Adjectives of peoples, tongues and beliefs: capitalised, but no names."""

NEVER_NAMES = _set(
    """
    i i'm i'll i've i'd ok okay lol omg btw asap fyi aka tba tbd diy faq eta rsvp imo imho tv tvs am pm ps p.s id cv
    pc pcs ai hr it uk's mr mrs ms dr prof st sir madam mom mum mommy mummy dad daddy papa mama grandma grandpa
    granny nan auntie aunt uncle god lord internet web wifi wi-fi human user assistant system tool bot yes no hi hey
    hello thanks not none
    """
)
"""Never a name by itself, however it is written."""

FEMALE = _set(
    """
    abigail ada adele agnes alice alicia alison amanda amelia amy ana andrea angela anita ann anna anne annie audrey
    barbara beatrice becky bella beth betty brenda bridget camila camille carla carmen carol caroline catherine
    cecilia charlotte chloe christina christine claire clara claudia daisy daniela deborah debra diana diane donna
    dora doris dorothy edith eileen elaine eleanor elena elisa elizabeth ella ellen elsa emily emma erica erin esther
    eva evelyn fatima fiona florence frances freya gabriela gail gemma georgia gina gloria greta hannah harriet
    heather helen helena ida ilse ines ingrid irene iris isabel isabella jackie jane janet janice jasmine jean jen
    jenna jennifer jenny jessica jill joan joanna josephine joyce judith judy julia julie juliet karen kate katherine
    kathleen katie kelly kim kristen laura lauren leah lena lily linda lisa liz lizzie lola lorraine louise lucia
    lucy lydia lynn maggie margaret maria marie marion marta martha mary maya megan melanie melissa mia michelle
    mildred mina miranda molly monica nadia nancy naomi natalie natasha nicole nina nora olga olivia pamela patricia
    paula penny phoebe priya rachel rebecca renee rita roberta rosa rosie ruth sabrina sally samantha sandra sara
    sarah shannon sharon shirley silvia simone sofia sonia sophia sophie stella stephanie susan susanna suzanne
    sylvia tamara tanya tara teresa tessa theresa tina tracy ursula valerie vanessa vera veronica victoria violet
    virginia vivian wanda wendy yvonne zoe
    """
)
MALE = _set(
    """
    aaron abdul adam adrian ahmed alan albert alejandro alexander alfred ali andre andreas andrew andy anthony
    antonio arthur ben benjamin bernard bill billy bob bobby brandon brian bruce bruno bryan carl carlos cedric
    charles christian christopher colin connor craig curtis daniel darren dave david dean dennis derek diego dominic
    donald douglas duncan dylan eddie edgar edmund eduardo edward edwin elliot enrique eric ernest ethan eugene evan
    felix fernando francis francisco frank fred frederick gabriel gareth gary geoff geoffrey george gerald gilbert
    giovanni glen gordon graham greg gregory gustav hans harold harry harvey hassan hector henry herbert howard hugh
    hugo ian ibrahim igor isaac ivan jack jacob jake james jason javier jeff jeffrey jeremy jerome jerry jim jimmy
    joe joel john johnny jon jonathan jorge jose joseph josh joshua juan julian justin karl keith ken kenneth kevin
    kurt kyle larry lars lawrence leo leon leonard leroy lewis liam lorenzo louis luca lucas luis luke magnus malcolm
    marco marcus mario martin matt matthew maurice max michael miguel mike mikhail mohamed mohammed muhammad nathan
    neil nicholas nick nigel noah norman oliver omar oscar otto owen pablo pascal patrick paul pedro peter phil
    philip pierre quentin ralph ramon raymond ricardo richard rob robert roberto rodney roger roland ron ronald rory
    ross roy russell ryan samuel scott sean sebastian sergei seth simon stanley stefan stephen steve steven stuart
    ted terence theodore thomas tim timothy toby todd tom tomasz tommy tony travis trevor tristan tyler vernon victor
    vincent vladimir walter warren wayne wilfred william xavier yusuf zachary
    """
)
FIRST_NAMES = (
    FEMALE
    | MALE
    | _set("alex ashley bailey casey charlie chris dana drew jamie jesse jo jordan kai kerry kit lee leslie logan mel")
    | _set("morgan nat nicky pat quinn ray riley robin rowan sam sasha sidney sky taylor terry tracey val yuki")
)

FEMALE_ROLES = _set(
    """
    sister mother mum mom daughter wife aunt auntie niece grandmother grandma granny girlfriend fiancée stepmother
    stepsister stepdaughter granddaughter actress waitress queen princess sister-in-law mother-in-law daughter-in-law
    """
)
MALE_ROLES = _set(
    """
    brother father dad son husband uncle nephew grandfather grandpa boyfriend fiancé stepfather stepbrother stepson
    grandson actor waiter king prince brother-in-law father-in-law son-in-law boy
    """
)
ROLES = (
    FEMALE_ROLES
    | MALE_ROLES
    | _set(
        """
        accountant agent apprentice architect artist assistant author baby babysitter baker banker barber boss
        builder butcher carer carpenter cat chef child classmate cleaner client co-founder co-worker coach colleague
        composer consultant cook counsellor counselor cousin customer dentist designer developer director doctor dog
        driver editor electrician engineer family farmer fiance fiancee flatmate founder friend gardener guest guide
        hamster hero horse host idol instructor intern kid kitten landlady landlord lawyer lecturer librarian manager
        mate mechanic mentor midwife musician nanny neighbor neighbour nurse owner painter parent parrot partner
        patient pet pharmacist photographer physiotherapist pianist pilot plumber poet priest producer professor
        programmer puppy rabbit roommate sailor scientist secretary singer soldier solicitor supervisor surgeon
        surveyor tailor teacher teammate tenant therapist trainer tutor twin vet waiter writer
        """
    )
)
"""What a person or an animal is to somebody."""

PLACES = _set(
    """
    airport alley avenue bay beach borough bridge building canal castle cathedral centre center church city close
    coast corner county court creek drive falls field fields forest garden gardens green guesthouse hall harbour
    harbor heights highway hill hills house island islands isle lake lane library lighthouse lodge market mill mills
    mount mountain mountains museum palace park peak pier place plaza port quay range ranch river road rock row sea
    shore spring springs square station street terrace tower town trail valley village volcano way wharf wood woods
    yard zoo
    """
)
ORGANISATIONS = _set(
    """
    academy agency airlines airways association bakery band bank bar bistro board books brewery brothers café cafe
    cinema clinic club co co. college committee company corp corp. council daughters department diner factory
    federation foundation group gmbh gym hospital hostel hotel inc inc. inn institute kitchen labs league llc ltd
    ltd. motel orchestra partners plc press pub railway records restaurant school shelter shop society sons stores
    studio studios supermarket team theatre theater trust union university
    """
)

COMMON = _set(
    """
    nobody somebody anybody everybody folks guys absence advice age air anniversary answer apple apples art attention
    autumn average baking bank beauty beer bike bird birds birthday black blue boat body book books bottle box bread
    breakfast brick brown bus business butter cake camp camping car card cash cats change chapter charity cheese
    chicken childhood children chocolate christmas city class classic clay clean clothes coffee cold colour color
    communication community company computer cooking cost country courage couple cream culture dancing darkness data
    date day days death deal decision deep delivery design diet dinner distance dogs door double dream dreams dress
    dust earlier earth eating education egg eggs email empathy energy enough error event evidence excuse exercise
    experience experts eye face fact failure faith fall fame fancy farming fashion favorite favourite fear feedback
    feeling film final fire fish fishing fitness five flour flower flowers food football four freedom french friday
    friendship fruit full funny fuel furniture game games gaming garden gas gender glass gold good-bye government
    grass green grey gray growth guess guitar hair half hand happiness hard hat hate head health heart heat height
    hey history holiday home honesty honey hot hour house hunger ice idea identity income information ink input
    insurance interest job journey joy juice justice kitchen knowledge lack land language last laughter law
    leadership learning leather left lesson less life light literature long loss love loving luggage lunch machine
    magic mail major man management march mark market marriage maths meat medicine meditation meeting memory men
    mental milk million mind mine minor missing mistake model moment money month months mood motivation mountain
    mouse movie movies mud museum music mystery name nature neither new news next nice nine noise noon nothing number
    nutrition oil old older one oil-painting online open opening order organic original others outdoor paint painting
    paper parenting parking part parties passion past pasta patience payment peace people perfection permission
    person phone photo photography photos picture pictures pizza place plan planning plant plants plastic play
    playing please plenty poem poetry politics poor population potato potatoes poverty power practice present
    pressure price print privacy problem profit progress protein proof public quality quick quiet quit race rain
    reading reality recipe recovery red regular rejection relationship relief religion rent repair research respect
    rest result results rice rich risk road romance room rose running rye safety salad salary sales salt sand sauce
    school science screen sea season second security seed self-care service seven sex shame shape sharing shop
    shopping short side silence silver similar singing six size skin sleep small smart smell smile smoke snow society
    software soil some-day song soul soup space speaking special speech speed spirit sport sports spring staff stage
    start status steam steel step sticker stone stop story storm strange strength stress student students study stuff
    style success sugar summer sun sunday sunset surgery survival swimming talent tax tea teaching team teamwork
    technology temperature ten tennis terrible theory therapy third three time times tiny tip tired toast topic total
    touch tough town trade tradition traffic training transport travel traveling travelling treatment trouble trust
    truth turn twelve twenty twice two type unfortunately unique unity variety video view violence vision voice
    volunteering walking wall war warm waste watching water weather website wedding week weekend weeks weight welcome
    white wind window wine winter wisdom wood wool word words work working world worst writing wrong year years
    yellow yesterday yoga young youth accordingly additionally ahead apart aside away basically besides briefly
    clearly currently depending despite eventually except except-for finally first firstly fortunately forward
    generally given hence hopefully however honestly imagine including incidentally initially instead like-wise
    mainly meanwhile moreover mostly nevertheless normally officially once originally otherwise overall particularly
    personally plus possibly previously probably recently regarding remember reminder sadly secondly seriously
    several similarly sometimes somewhere somehow specifically suddenly surprisingly therefore ultimately unless
    unlike unofficially usually whatever whenever wherever whoever
    whose within yesterday's today's
    """
)
"""Words that begin sentences and are no names."""
